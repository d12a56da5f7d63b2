import { Section } from '#web/parts/section.tsx';
import { CodeBlock } from './code-block.tsx';
import { useBaseUrl } from './use-base-url.ts';

export const TryApi = () => {
  const baseUrl = useBaseUrl();
  return (
    <Section title="Try the API">
      <CodeBlock
        label="Example for curl"
        text={[
          `curl ${baseUrl}/api/agent/tools/posts.create \\`,
          '  -H "Authorization: Bearer $POSTHORN_TOKEN" \\',
          '  -H "Content-Type: application/json" \\',
          `  -d '{"body": "Hello from the command line"}'`,
        ].join('\n')}
      />
    </Section>
  );
};
