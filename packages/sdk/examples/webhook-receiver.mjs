// Receives webhooks on PORT, and prints what was published or failed. POSTHORN_WEBHOOK_SECRET is the signing secret.
import { createServer } from 'node:http';
import { verifyWebhook, WebhookVerificationError } from 'posthorn-sdk';

const secret = process.env.POSTHORN_WEBHOOK_SECRET ?? '';
const seen = new Set();

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const event = await verifyWebhook(Buffer.concat(chunks), request.headers, secret);
    // The same event may arrive twice.
    if (!seen.has(event.id)) console.log(event.type, 'post' in event.data ? event.data.post.status : '');
    seen.add(event.id);
    response.writeHead(204).end();
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.writeHead(400).end(error.message);
  }
});
server.listen(Number(process.env.PORT ?? 8080), () => console.log(`listening on ${server.address().port}`));
