import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, loadEnv } from 'vite';

const root = import.meta.dirname;

/** Paths that the server answers itself; all others are pages of the app. */
const serverPaths = [
  '/api/',
  '/auth',
  '/avatars',
  '/docs',
  '/media/',
  '/mcp',
  '/openapi.json',
  '^/review/[^/]+/media/',
  '/sandbox/',
  '/sign-in/',
];

export default defineConfig(({ mode }) => {
  const { PORT = '3000' } = loadEnv(mode, resolve(root, '..'), ['PORT']);
  return {
    root,
    plugins: [react()],
    build: {
      outDir: resolve(root, '../dist/web'),
      emptyOutDir: true,
      target: 'es2023',
      // Its polyfill would be an inline script, which the content security policy refuses.
      modulePreload: { polyfill: false },
      // Small files stay files: fonts as data addresses would need their own word in the policy.
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      chunkSizeWarningLimit: 1000,
      rolldownOptions: {
        // @mantine/schedule looks for rrule in two forms, and one of them is always missing.
        onLog: (level, log, tell) => {
          if (log.code !== 'IMPORT_IS_UNDEFINED' || !log.message.includes('rrule')) tell(level, log);
        },
      },
    },
    server: {
      host: '127.0.0.1',
      proxy: Object.fromEntries(serverPaths.map((path) => [path, `http://127.0.0.1:${PORT}`])),
    },
  };
});
