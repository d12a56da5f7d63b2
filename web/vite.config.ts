import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, loadEnv } from 'vite';
import { isPagePath } from '#web/base/paths.ts';
import { textInRem } from '#web/base/text-in-rem.ts';

const root = import.meta.dirname;

/** Vite's own paths, and files of web/ and web/public. */
const isFile = (path: string) =>
  /^\/(@|node_modules\/)/.test(path) ||
  [root, resolve(root, 'public')].some((folder) => statSync(join(folder, path), { throwIfNoEntry: false })?.isFile());

/** Pages and files come from Vite, everything else from the service. */
const bypassProxy = ({ url = '/' }: { url?: string | undefined }) => {
  const { pathname } = new URL(url, 'http://localhost');
  return isPagePath(pathname) || isFile(pathname) ? url : undefined;
};

export default defineConfig(({ mode }) => {
  const { PORT = '3000' } = loadEnv(mode, resolve(root, '..'), ['PORT']);
  return {
    root,
    plugins: [react()],
    css: { postcss: { plugins: [textInRem()] } },
    build: {
      outDir: resolve(root, '../dist/web'),
      emptyOutDir: true,
      target: 'es2023',
      // The polyfill is an inline script, which the content security policy blocks.
      modulePreload: { polyfill: false },
      // Inlined fonts would be data: URLs, which the content security policy blocks.
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      chunkSizeWarningLimit: 1000,
      rolldownOptions: {
        // One chunk per group: every page needs all of the first load, an icon is smaller than the headers of its own
        // request, and small parts are loaded six at a time. bench/README.md compares share counts.
        output: {
          codeSplitting: {
            groups: [
              { name: 'first', tags: ['$initial'] },
              { name: 'icons', test: /[\\/]lucide-react[\\/]/ },
              { name: 'shared', minShareCount: 24 },
            ],
          },
        },
      },
    },
    server: {
      host: '127.0.0.1',
      proxy: { '^/': { target: `http://127.0.0.1:${PORT}`, bypass: bypassProxy } },
    },
  };
});
