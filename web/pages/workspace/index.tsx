import { usePermissions, useSession, useWorkspace } from '#web/base/session.ts';
import { PageHeader } from '#web/parts/page-header.tsx';
import { Column } from '#web/parts/section.tsx';
import { AuditLog, ServerAuditLog } from './audit-log.tsx';
import { DeleteWorkspace } from './delete-workspace.tsx';
import { HandOver } from './hand-over.tsx';
import { Invitations } from './invitations.tsx';
import { Members } from './members.tsx';
import { PlanAndUse } from './plan-and-use.tsx';
import { Security } from './security.tsx';
import { ServerLinks } from './server-links.tsx';
import { SlotsLink } from './slots-link.tsx';
import { Transfer } from './transfer.tsx';
import { WhoMayPublish } from './who-may-publish.tsx';
import { WorkspaceName } from './workspace-name.tsx';
import { Workspaces } from './workspaces.tsx';

const WorkspacePage = () => {
  const { name } = useWorkspace();
  const { user } = useSession();
  const { canManage, isOwner, role } = usePermissions();
  return (
    <>
      <PageHeader title="Workspace" meta={`${name}, where you are ${role}`} />
      <Column width="narrow">
        <WorkspaceName />
        <SlotsLink />
        <WhoMayPublish />
        <Security />
        <Members />
        {canManage && <Invitations />}
        <PlanAndUse />
        <Transfer />
        {user.operator && <ServerLinks />}
        <Workspaces />
        {isOwner && <HandOver />}
        <DeleteWorkspace />
        {canManage && <AuditLog />}
        {user.operator && <ServerAuditLog />}
      </Column>
    </>
  );
};

export default WorkspacePage;
