import '#web/theme/layers.css';
import '#web/theme/mantine.css';
import '@fontsource-variable/geist/index.css';
import '#web/theme/mono.css';
import '#web/theme/tokens.css';
import '#web/theme/base.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { watchFiles } from '#web/base/app-files.ts';
import { queryClient } from '#web/base/queries.ts';
import { cssVariablesResolver, theme } from '#web/theme/theme.ts';
import { router } from './router.tsx';

watchFiles();

const place = document.getElementById('app');
if (place) {
  createRoot(place).render(
    <MantineProvider theme={theme} cssVariablesResolver={cssVariablesResolver} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>,
  );
}
