import type { Config } from '#server/config';
import { makeDemo } from '#server/demo/make';

/** Says on stderr how far it is, and at last on stdout, as JSON, how to get in. */
export const demo = async (config: Config, again: boolean) => {
  const { isTTY } = process.stderr;
  const progress = (text: string) => {
    process.stderr.write(isTTY ? `\r${text} …\u001b[K` : `${text} …\n`);
  };
  const made = await makeDemo(config, { again, progress });
  process.stderr.write(isTTY ? '\r\u001b[K' : '');
  console.log(JSON.stringify({ ...made, signIn: `${config.baseUrl}/sign-in` }, null, 2));
  console.error(
    `The workspace ${made.workspace} is ready. Run npm start, and sign in with this e-mail address and password.`,
  );
};
