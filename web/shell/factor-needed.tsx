import { useWorkspace } from '#web/base/session.ts';
import { AppForCodes } from '#web/parts/app-for-codes.tsx';
import { Mark } from '#web/parts/mark.tsx';
import { Passkeys } from '#web/parts/passkeys.tsx';
import { PersonMenu } from './person-menu.tsx';

/** Replaces a workspace that requires a second factor, until the person has set one up. */
const FactorNeeded = ({ onCodes }: { onCodes: (areShown: boolean) => void }) => {
  const { name } = useWorkspace();
  return (
    <main style={{ maxWidth: 620, margin: '0 auto', padding: '8vh 24px' }}>
      <Mark size={44} />
      <h1 style={{ marginTop: 16, fontSize: 26, lineHeight: '32px' }}>{name} asks for two factors</h1>
      <p className="text-2" style={{ margin: '8px 0 24px' }}>
        Set up an authenticator app, or add a passkey. Then you see the workspace.
      </p>
      <AppForCodes onCodes={onCodes} />
      <Passkeys />
      <div style={{ marginTop: 32 }}>
        <PersonMenu />
      </div>
    </main>
  );
};

export default FactorNeeded;
