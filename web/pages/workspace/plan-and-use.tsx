import { useQuery } from '@tanstack/react-query';
import { queries } from '#web/base/queries.ts';
import { usePermissions } from '#web/base/session.ts';
import { Loaded } from '#web/parts/loaded.tsx';
import { formatNumber } from '#web/parts/number.ts';
import { Section } from '#web/parts/section.tsx';
import styles from './workspace.module.css';

export const PlanAndUse = () => {
  const query = useQuery(queries.plan);
  const accounts = useQuery(queries.accounts).data?.accounts.length;
  const members = useQuery(queries.members).data?.members.length;
  const { canManage } = usePermissions();
  const webhooks = useQuery({ ...queries.webhooks, enabled: canManage }).data?.webhooks.length;
  return (
    <Section title="Plan and use" note="the operator of this server sets the plan" card>
      <Loaded query={query} title="The plan could not be loaded" rows={1} height={68}>
        {(plan) => (
          <dl className={styles.plan}>
            <Fact name="Plan">{plan.name}</Fact>
            <Fact name="Accounts">{formatUsage(accounts, plan.accounts)}</Fact>
            <Fact name="Members">{formatUsage(members, plan.members)}</Fact>
            <Fact name="Scheduled this month">{formatUsage(plan.used.scheduled, plan.scheduledPerMonth)}</Fact>
            <Fact name="Webhooks">
              {webhooks === undefined ? `at most ${plan.webhooks}` : formatUsage(webhooks, plan.webhooks)}
            </Fact>
            <Fact name="Posts to paid networks">
              {plan.paidNetworks ? formatUsage(plan.used.paidPosts, plan.paidPostsPerMonth) : 'Not covered'}
            </Fact>
          </dl>
        )}
      </Loaded>
    </Section>
  );
};

const Fact = ({ name, children }: { name: string; children: React.ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd className="number">{children}</dd>
  </div>
);

/** `13 of 25`, or `13, no limit` */
const formatUsage = (value: number | undefined, limit: number | null) => {
  if (value === undefined) return '';
  return limit === null ? `${formatNumber(value)}, no limit` : `${formatNumber(value)} of ${formatNumber(limit)}`;
};
