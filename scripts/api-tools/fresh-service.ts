import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import sharp from 'sharp';
import { selfSigned } from '#test/support/certificate';
import { createProcesses } from '#test/support/processes';

/** It has the packages of other people that read the OpenAPI document and the Postman collection. */
export const toolsFolder = resolve(import.meta.dirname, '../../bench');

/** A service that somebody has just set up, with one account on the sandbox, and a picture as a file and on the web. */
export const startFreshService = async () => {
  const processes = await createProcesses();
  const bytes = await sharp({ create: { width: 400, height: 300, channels: 3, background: '#8a4b08' } })
    .png()
    .toBuffer();
  const picture = join(processes.dir, 'picture.png');
  writeFileSync(picture, bytes);
  const { cert, key } = selfSigned();
  const certificate = join(processes.dir, 'certificate.pem');
  writeFileSync(certificate, cert);
  const web = createServer({ cert, key }, (_req, res) =>
    res.writeHead(200, { 'content-type': 'image/png' }).end(bytes),
  ).listen(0, '127.0.0.1');
  await once(web, 'listening');
  const host = `127.0.0.1:${(web.address() as AddressInfo).port}`;
  const stop = async () => {
    web.close();
    await processes.clear();
  };
  try {
    // Builds the program, which takes longer than a start may.
    await processes.run(['--version']);
    const { url } = await processes.start(undefined, { OUTBOUND_ALLOW: host, OUTBOUND_CA: certificate });
    const person = { email: 'owner@example.com', password: 'correct horse battery', workspace: 'Demo' };
    const { workspaceId = '', token = '' } = await processes.ask(
      'setup',
      ...Object.entries(person).flatMap(([name, value]) => [`--${name}`, value]),
    );
    await processes.ask('account', 'add', '--workspace', workspaceId, '--network', 'bluesky', '--handle', 'demo');
    return { url, token, picture, pictureUrl: `https://${host}/picture.png`, folder: processes.dir, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};
