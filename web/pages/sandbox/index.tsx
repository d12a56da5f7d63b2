import { ActionIcon } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Clock, SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { isPosthornError } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { formatSpan } from '#web/base/time.ts';
import { Banner } from '#web/parts/banner.tsx';
import { Loaded } from '#web/parts/loaded.tsx';
import NotFound from '#web/parts/not-found.tsx';
import { PageHeader } from '#web/parts/page-header.tsx';
import { Column } from '#web/parts/section.tsx';
import { SideRail, WithRail } from '#web/parts/side-rail.tsx';
import { ClockCard } from './clock-card.tsx';
import { Faults } from './faults.tsx';
import { Feed } from './feed.tsx';
import styles from './sandbox.module.css';

const SandboxPage = () => {
  const query = useQuery({
    queryKey: keys.sandbox,
    queryFn: ({ signal }) => app.readSandbox({ signal }),
    // Simulated likes and comments send no events.
    refetchInterval: 30_000,
  });
  const [isRailOpen, setIsRailOpen] = useState(false);
  // Production has no sandbox.
  const { data } = query;
  if (isPosthornError(query.error, 'Forbidden')) return <NotFound />;
  return (
    <>
      <PageHeader
        title="Sandbox"
        meta="stays on this server, nobody outside sees it"
        actions={
          <ActionIcon
            className="phone-only"
            size={40}
            aria-label="Clock and faults"
            onClick={() => setIsRailOpen(true)}
          >
            <SlidersHorizontal size={18} aria-hidden="true" />
          </ActionIcon>
        }
      />
      <WithRail
        rail={
          <SideRail label="Clock and faults" width={392} opened={isRailOpen} onClose={() => setIsRailOpen(false)}>
            {data && (
              <>
                <ClockCard aheadMs={data.aheadMs} />
                <Faults sandbox={data} />
              </>
            )}
          </SideRail>
        }
      >
        <Column width="narrow">
          <div className={styles.feed}>
            <Loaded query={query} title="The sandbox could not be loaded" rows={5} height={96}>
              {({ aheadMs, networks }) => (
                <>
                  {aheadMs > 0 && (
                    <div className="phone-only" style={{ marginBottom: 12 }}>
                      <Banner tone="plum" icon={Clock} title={`Clock is ${formatSpan(aheadMs)} ahead`} />
                    </div>
                  )}
                  <Feed networks={networks} />
                </>
              )}
            </Loaded>
          </div>
        </Column>
      </WithRail>
    </>
  );
};

export default SandboxPage;
