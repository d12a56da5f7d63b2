// Writes a draft for every connected account, checks it, says where a human publishes it, and waits for the result.
// POSTHORN_URL and POSTHORN_TOKEN name the server and the personal token.
import { isPosthornError, Posthorn } from 'posthorn-sdk';

const posthorn = new Posthorn();
const { workspaceName } = await posthorn.whoAmI();
const { accounts } = await posthorn.accounts.list();
const post = await posthorn.posts.create({ accountIds: accounts.map(({ id }) => id), body: 'Posthorn is here' });

try {
  await posthorn.posts.validate({ id: post.id });
  await posthorn.posts.publishNow({ id: post.id });
} catch (error) {
  if (isPosthornError(error, 'Invalid')) {
    for (const { path, message } of error.issues) console.error(path, message);
    process.exit(1);
  }
  if (!isPosthornError(error, 'ApprovalRequired')) throw error;
  console.log(`${workspaceName}: publish it at ${error.approvalUrl}`);
}

const { status, results } = await posthorn.posts.waitForResult(post.id, { everyMs: 500 });
console.log(status, results.map(({ url, error }) => url ?? error?.message).join(', '));
