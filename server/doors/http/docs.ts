import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type RequestHandler, Router } from 'express';

/** Settings of Scalar: no request may leave this server. */
const settings = {
  sources: [
    { title: 'API', slug: 'api', url: '/openapi.json', default: true },
    { title: 'Routes of the app', slug: 'app', url: '/openapi-app.json' },
  ],
  authentication: { preferredSecurityScheme: 'personalToken' },
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
};

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Posthorn API</title>
<link rel="icon" type="image/svg+xml" href="/assets/posthorn.svg">
</head>
<body>
<div id="reference"></div>
<script src="/docs/no-eval.js"></script>
<script src="/docs/scalar.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/**
 * Scalar bundles zod, which tests whether it may compile code. The content security policy forbids that, but logs a
 * violation in the console; failing earlier avoids the message.
 */
const noEval = `const refuse = () => {
  throw new EvalError('no code from text');
};
globalThis.Function = new Proxy(Function, { construct: refuse, apply: refuse });
`;

const contentSecurity = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "frame-ancestors 'none'",
].join('; ');

/** `/docs`: the OpenAPI documents as a page, with everything served from here. */
export const docsPages = (): Router => {
  const scalar = join(
    dirname(createRequire(import.meta.url).resolve('@scalar/fastify-api-reference')),
    'js/standalone.js',
  );
  const setContentSecurity: RequestHandler = (_req, res, next) => {
    res.setHeader('content-security-policy', contentSecurity);
    next();
  };
  return Router()
    .get('/', setContentSecurity, (_req, res) => {
      res.type('html').send(page);
    })
    .get('/no-eval.js', (_req, res) => {
      res.type('js').send(noEval);
    })
    .get('/start.js', (_req, res) => {
      res.type('js').send(`Scalar.createApiReference('#reference', ${JSON.stringify(settings)});\n`);
    })
    .get('/scalar.js', (_req, res) => {
      res.setHeader('cache-control', 'public, max-age=86400');
      res.sendFile(scalar, { cacheControl: false });
    });
};
