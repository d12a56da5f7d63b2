class PosthornApi {
  name = 'posthornApi';
  displayName = 'Posthorn API';
  icon = 'file:../icons/posthorn.svg';
  properties = [
    {
      displayName: 'Address',
      name: 'url',
      type: 'string',
      default: 'http://localhost:3000',
      required: true,
      description: 'Where your Posthorn runs',
    },
    {
      displayName: 'Token',
      name: 'token',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      description: 'Create it in Posthorn under API and MCP',
    },
  ];
  authenticate = { type: 'generic', properties: { headers: { Authorization: '=Bearer {{$credentials.token}}' } } };
  test = { request: { baseURL: '={{$credentials.url}}', url: '/api/agent/tools' } };
}

module.exports = { PosthornApi };
