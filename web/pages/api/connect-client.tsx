import { SegmentedControl, Tabs } from '@mantine/core';
import { CopyField } from '#web/parts/copy.tsx';
import { Section } from '#web/parts/section.tsx';
import { usePageSearch } from '#web/parts/use-page-search.ts';
import styles from './api.module.css';
import { CodeBlock } from './code-block.tsx';
import { configurations, type Way } from './configurations.ts';
import { useBaseUrl } from './use-base-url.ts';

export const ConnectClient = ({ token }: { token: string | undefined }) => {
  const [search, setSearch] = usePageSearch<'client' | 'with'>();
  const address = `${useBaseUrl()}/mcp`;
  const configuration = configurations.find(({ key }) => key === search.client) ?? configurations[0];
  const way: Way = search.with === 'token' || (search.with === undefined && token !== undefined) ? 'token' : 'sign-in';
  if (configuration === undefined) return null;
  return (
    <Section title="Connect a client">
      <div className={styles.address}>
        <span className="small text-2">MCP address</span>
        <CopyField value={address} label="MCP address" />
      </div>
      <Tabs value={configuration.key} onChange={(key) => setSearch({ client: key ?? undefined }, { replace: true })}>
        <Tabs.List className={styles.tabs}>
          {configurations.map(({ key, name }) => (
            <Tabs.Tab key={key} value={key}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {configurations.map(({ key, name, text, where }) => (
          <Tabs.Panel key={key} value={key}>
            <div className={styles.way}>
              <SegmentedControl
                aria-label="How it gets in"
                value={way}
                onChange={(value) => setSearch({ with: value }, { replace: true })}
                data={[
                  { value: 'sign-in', label: 'Sign in' },
                  { value: 'token', label: 'With a token' },
                ]}
              />
              <span className="small text-3">
                {way === 'token' ? 'acts in the token’s workspace' : 'asks you once an hour'}
              </span>
            </div>
            <CodeBlock label={`Configuration for ${name}`} text={text(address, way)} />
            <p className={styles.small}>
              {where} Then say in the client: <strong>“List my drafts in Posthorn.”</strong>
              {way === 'sign-in' && ' It opens a browser to sign you in.'}
            </p>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Section>
  );
};
