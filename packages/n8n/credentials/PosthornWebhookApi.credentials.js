class PosthornWebhookApi {
  name = 'posthornWebhookApi';
  displayName = 'Posthorn Webhook';
  icon = 'file:../icons/posthorn.svg';
  properties = [
    {
      displayName: 'Signing Secret',
      name: 'secret',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      description: 'Posthorn shows it once, when the webhook is added; it begins with whsec_',
    },
  ];
}

module.exports = { PosthornWebhookApi };
