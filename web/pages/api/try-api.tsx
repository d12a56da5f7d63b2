import { Section } from '#web/parts/section.tsx';
import { CodeBlock } from './code-block.tsx';

export const TryApi = () => (
  <Section title="Try the API">
    <CodeBlock
      label="Example for curl"
      text={[
        `curl ${location.origin}/api/agent/tools/posts.create \\`,
        '  -H "Authorization: Bearer $POSTHORN_TOKEN" \\',
        '  -H "Content-Type: application/json" \\',
        `  -d '{"body": "Hello from the command line"}'`,
      ].join('\n')}
    />
  </Section>
);
