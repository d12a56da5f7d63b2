import { type Command, createProgress } from './command.ts';

/** Reports its progress on stderr, then prints on stdout, as JSON, how to sign in. */
export const demo: Command = async (config, { again }) => {
  const { makeDemo } = await import('#server/wiring/demo/make');
  const progress = createProgress();
  const result = await makeDemo(config, { again: again !== undefined, progress: progress.say });
  progress.end();
  console.log(JSON.stringify({ ...result, signIn: `${config.baseUrl}/sign-in` }, null, 2));
  console.error(
    `The workspace ${result.workspace} is ready. Run npm start, and sign in with this e-mail address and password.`,
  );
};
