import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename } from 'node:path';
import { SettingError } from '#server/base/config/config';
import { type Command, need, usingService } from './command.ts';

/** The app's dry run; with --save it creates drafts. It never schedules, because that takes a person in the app. */
export const importFile: Command = async (config, options) => {
  const [workspaceId, file] = need(options, 'workspace', 'file');
  await access(file).catch(() => {
    throw new SettingError(`The file ${file} cannot be read.`);
  });
  return usingService(config, async ({ posthorn: { imports, userAdministration } }) => {
    const caller = {
      ...(await userAdministration.ownerOf(workspaceId)),
      role: 'owner',
      mayPublish: true,
      isPerson: true,
    } as const;
    const settings = { fileName: basename(file), timeZone: options['time-zone'] ?? 'UTC', accountIds: [] };
    let report = await imports.check(caller, settings, createReadStream(file));
    if (options.save !== undefined) {
      const rows = { unmatched: options.unmatched !== undefined, duplicates: options.duplicates !== undefined };
      for (let after: number | undefined = 0; after !== undefined; ) {
        const step: Awaited<ReturnType<typeof imports.save>> = await imports.save(caller, report.id, {
          ...rows,
          after,
        });
        report = step.import;
        after = step.next;
      }
    }
    const problems = [];
    for (let after: number | undefined = 0; after !== undefined; ) {
      const page: Awaited<ReturnType<typeof imports.rows>> = await imports.rows(caller, report.id, {
        after,
        problemsOnly: true,
      });
      problems.push(...page.rows);
      after = page.next;
    }
    return { ...report, problems };
  });
};
