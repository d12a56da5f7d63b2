import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import type { Issue } from '#contracts/errors';
import { MediaForm } from '#contracts/media';
import { parseInput } from '#server/agents/admission';
import { bounds } from '#server/base/bounds';
import type { Caller } from '#server/base/context';
import { badInput, Refusal } from '#server/base/errors';
import { keyOf } from '#server/base/idempotency/header';
import type { ResumableUploads } from '#server/media/resumable-uploads';
import type { Admit } from './app-routes.ts';
import { checkText } from './body.ts';
import { drain, untilStalled } from './form.ts';
import { noBody } from './receive.ts';
import { reply } from './reply.ts';

const version = '1.0.0';
const extensions = 'creation,termination,expiration';
const Fields = MediaForm.pick({ alt: true });

type Upload = Awaited<ReturnType<ResumableUploads['find']>>;

/**
 * The tus protocol 1.0 with creation, termination and expiration. GET is our addition: it returns the media item,
 * because a tus upload ends without a body.
 */
export const resumableUploadRoutes = ({ resumableUploads }: { resumableUploads: ResumableUploads }) => {
  const append = async (req: Request<{ id: string }>, res: Response, caller: Caller) => {
    if (!/^application\/offset\+octet-stream$/i.test(req.get('content-type') ?? ''))
      throw badInput({ path: 'Content-Type', code: 'BadFormat', message: 'must be application/offset+octet-stream' });
    const offset = readNumber(req, 'Upload-Offset');
    // By default leaving the iterator early destroys the request, which still needs a response.
    const chunks: AsyncIterableIterator<Buffer> = req.iterator({ destroyOnReturn: false });
    try {
      return await untilStalled(req, () => resumableUploads.append(caller, req.params.id, offset, chunks));
    } catch (error) {
      // Another request is ahead of this one. Close the connection; the client then asks where to continue.
      if (error instanceof Refusal && error.code === 'Conflict') res.setHeader('connection', 'close');
      // Most clients read the response only after they have sent the whole body.
      else await untilStalled(req, () => drain(chunks));
      throw error;
    }
  };

  return {
    /** `OPTIONS /api/media/uploads`: by the protocol it needs neither a token nor a version. */
    describeResumableUploads: (_req: Request, res: Response) => {
      res.setHeader('tus-resumable', version);
      res.setHeader('tus-version', version);
      res.setHeader('tus-extension', extensions);
      res.setHeader('tus-max-size', resumableUploads.maxBytes);
      res.writeHead(204).end();
    },

    /** `POST /api/media/uploads` */
    createResumableUpload: async (req: Request<Record<string, string>>, res: Response, admit: Admit) => {
      const { sender: caller } = await admit(req, res, noBody);
      mustSpeakTus(req, res);
      const metadata = req.get('upload-metadata') ?? '';
      const { filename, alt } = readMetadata(metadata);
      const upload = await resumableUploads.create(caller, {
        bytes: readNumber(req, 'Upload-Length'),
        alt: checkedAlt(alt),
        name: filename,
        metadata,
        key: keyOf(req),
      });
      setProgress(res, upload);
      res.setHeader('location', `/api/media/uploads/${upload.id}`);
      res.writeHead(201).end();
    },

    /** `HEAD`, `GET`, `PATCH` and `DELETE /api/media/uploads/{id}` */
    resumableUpload: async (req: Request<{ id: string }>, res: Response, admit: Admit) => {
      const { sender: caller, body: appended } = await admit(req, res, {
        read: async (sender) => {
          if (req.method !== 'GET') mustSpeakTus(req, res);
          return req.method === 'PATCH' ? append(req, res, sender) : undefined;
        },
      });
      const { id } = req.params;
      if (req.method === 'GET') {
        const item = await resumableUploads.result(caller, id, bounds.uploadWaitMs);
        return item ? reply(res, 200, item) : reply(res, 202, { status: 'Processing' });
      }
      if (req.method === 'DELETE') {
        await resumableUploads.remove(caller, id);
        return res.writeHead(204).end();
      }
      if (appended) {
        if (appended.received === appended.bytes) await resumableUploads.result(caller, id, bounds.uploadWaitMs);
        setProgress(res, appended);
        return res.writeHead(204).end();
      }
      const upload = await resumableUploads.find(caller, id);
      setProgress(res, upload);
      res.setHeader('upload-length', upload.bytes);
      res.setHeader('cache-control', 'no-store');
      return res.writeHead(200).end();
    },
  };
};

const setProgress = (res: Response, { received, expiresAt }: Upload) => {
  res.setHeader('upload-offset', received);
  res.setHeader('upload-expires', expiresAt.toUTCString());
};

const mustSpeakTus = ({ headers }: IncomingMessage, res: Response) => {
  res.setHeader('tus-resumable', version);
  if (headers['tus-resumable'] === version) return;
  res.setHeader('tus-version', version);
  throw new Refusal('BadInput', `Tus-Resumable must be ${version}`, [], 412);
};

const readNumber = ({ headers }: IncomingMessage, name: string) => {
  const value = String(headers[name.toLowerCase()] ?? '');
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw badInput({ path: name, code: value === '' ? 'Required' : 'BadFormat', message: 'must be a number of bytes' });
};

/** `filename d29ybGQ=,alt aG9ybg==`: keys, each with a value in base64, which may be empty. */
const readMetadata = (header: string): { filename?: string; alt?: string } => {
  const entries = header === '' ? [] : header.split(',').map(readEntry);
  if (new Set(entries.map(([key]) => key)).size < entries.length) throw badMetadata('BadFormat', 'has a key twice');
  return Object.fromEntries(entries);
};

const readEntry = (entry: string): [string, string] => {
  const [, key, base64 = ''] =
    /^([!-~]+)(?: ((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2,3}={0,2})?))?$/.exec(entry.trim()) ?? [];
  if (key === undefined) throw badMetadata('BadFormat', 'must be keys with values in base64: filename aG9ybi5wbmc=');
  try {
    return [key, new TextDecoder('utf8', { fatal: true }).decode(Buffer.from(base64, 'base64'))];
  } catch {
    throw badMetadata('BadText', 'must be UTF-8 in base64');
  }
};

const badMetadata = (code: Issue['code'], message: string) => badInput({ path: 'Upload-Metadata', code, message });

const checkedAlt = (text: string | undefined) => {
  const { alt } = parseInput(Fields, text === undefined ? {} : { alt: text });
  checkText(alt ?? '', 'alt');
  return alt;
};
