const { createHmac, timingSafeEqual } = require('node:crypto');
const { events } = require('../../generated/events.js');

const toleranceSeconds = 300;

class PosthornTrigger {
  description = {
    displayName: 'Posthorn Trigger',
    name: 'posthornTrigger',
    icon: 'file:../../icons/posthorn.svg',
    group: ['trigger'],
    version: 1,
    description: 'Starts when a post went out or failed, or an account has to be reconnected',
    defaults: { name: 'Posthorn Trigger' },
    inputs: [],
    outputs: ['main'],
    credentials: [{ name: 'posthornWebhookApi', required: true }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
    properties: [
      {
        displayName:
          'Add the webhook URL above in Posthorn under <b>Webhooks</b>, and its signing secret to the credentials.',
        name: 'notice',
        type: 'notice',
        default: '',
      },
      {
        displayName: 'Events',
        name: 'events',
        type: 'multiOptions',
        options: events,
        default: events.map(({ value }) => value).filter((value) => value !== 'ping'),
        description: 'Other events are accepted and start nothing',
      },
    ],
  };

  async webhook() {
    const { secret } = await this.getCredentials('posthornWebhookApi');
    const req = this.getRequestObject();
    await req.readRawBody?.();
    if (!isSigned(this.getHeaderData()['posthorn-signature'], req.rawBody, secret)) {
      this.getResponseObject().status(400).json({ message: 'The signature is wrong or too old.' });
      return { noWebhookResponse: true };
    }
    const event = JSON.parse(req.rawBody);
    if (!this.getNodeParameter('events').includes(event.type)) return { webhookResponse: { ignored: event.type } };
    return { workflowData: [[{ json: event }]] };
  }
}

/** As docs/webhooks.md asks of receivers. After a rotation there are two signatures: one that fits is enough. */
const isSigned = (header, body, secret) => {
  if (typeof header !== 'string' || !Buffer.isBuffer(body)) return false;
  const parts = header.split(',').map((part) => part.split('='));
  const time = parts.find(([name]) => name === 't')?.[1] ?? '';
  if (!/^\d+$/.test(time) || Math.abs(Date.now() / 1000 - time) > toleranceSeconds) return false;
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  return parts
    .filter(([name]) => name === 'v1')
    .map(([, hex = '']) => Buffer.from(hex, 'hex'))
    .some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected));
};

module.exports = { PosthornTrigger };
