import { ImportForm } from '#contracts/transfer';
import { parseInput } from '#server/agents/admission';
import { badInput } from '#server/base/errors';
import { idsIn } from '#server/base/ids';
import type { Imports } from '#server/planning/transfer/imports';
import type { FormRoute } from './app-routes.ts';
import { checkText } from './body.ts';
import { type FormFields, isForm, readForm, unknownField } from './form.ts';
import { reply } from './reply.ts';

const Fields = ImportForm.omit({ file: true });

/** Checks an import file while it is uploaded. JSON goes on to ts-rest. */
export const importRoute =
  ({ imports }: { imports: Imports }): FormRoute =>
  (admit) =>
  async (req, res, next) => {
    if (!isForm(req)) return next();
    const { body } = await admit(req, res, {
      read: async (caller) => {
        const receive = async (file: AsyncIterable<Buffer>, fileName: string, before: FormFields) => {
          const { timeZone, accountIds } = settingsIn(before);
          const settings = { fileName, timeZone, accountIds: idsIn(accountIds) };
          return { count: Object.keys(before.fields).length, answer: await imports.check(caller, settings, file) };
        };
        const remove = ({ answer }: Awaited<ReturnType<typeof receive>>) => imports.remove(caller, answer.id);
        const { received, sent } = await readForm(req, { receive, discard: remove }, (form) => ({
          sent: Object.keys(form.fields).length,
          ...settingsIn(form),
        }));
        if (sent !== received.count) {
          await remove(received);
          throw badInput({ path: 'file', code: 'BadFormat', message: 'must come after the other fields' });
        }
        return { answer: received.answer, remove: () => remove(received) };
      },
      discard: ({ remove }) => remove(),
    });
    reply(res, 200, body.answer);
  };

const settingsIn = ({ fields, wrong: [wrong] }: FormFields) => {
  if (wrong !== undefined) throw unknownField(wrong);
  const settings = parseInput(Fields, fields);
  for (const [name, value] of Object.entries(settings)) checkText(value, name);
  return settings;
};
