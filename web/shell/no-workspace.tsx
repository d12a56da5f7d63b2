import { Mark } from '#web/parts/mark.tsx';
import { NewWorkspaceForm } from './new-workspace-form.tsx';
import { PersonMenu } from './person-menu.tsx';

/** For people who left or were removed from all workspaces. */
const NoWorkspace = () => (
  <main style={{ maxWidth: 420, margin: '0 auto', padding: '12vh 24px' }}>
    <Mark size={44} />
    <h1 style={{ marginTop: 16, fontSize: 26, lineHeight: '32px' }}>You are in no workspace</h1>
    <p className="text-2" style={{ margin: '8px 0 24px' }}>
      Ask an admin for an invitation, or create a workspace of your own.
    </p>
    <NewWorkspaceForm />
    <div style={{ marginTop: 32 }}>
      <PersonMenu />
    </div>
  </main>
);

export default NoWorkspace;
