import { useSession } from '#web/base/session.ts';
import { AppForCodes } from '#web/parts/app-for-codes.tsx';
import { PageHeader } from '#web/parts/page-header.tsx';
import { Passkeys } from '#web/parts/passkeys.tsx';
import { Column } from '#web/parts/section.tsx';
import { AboutYou } from './about-you.tsx';
import { Appearance } from './appearance.tsx';
import { DeleteSelf } from './delete-self.tsx';
import { Notifications } from './notifications.tsx';
import { Password } from './password.tsx';
import { Sessions } from './sessions.tsx';

const ProfilePage = () => (
  <>
    <PageHeader title="Profile" meta={useSession().user.email} />
    <Column width="narrow">
      <AboutYou />
      <Appearance />
      <Notifications />
      <Password />
      <Passkeys />
      <AppForCodes />
      <Sessions />
      <DeleteSelf />
    </Column>
  </>
);

export default ProfilePage;
