import { Button, TextInput } from '@mantine/core';
import { fieldFault } from '#web/base/faults.ts';
import { useSession, useZone } from '#web/base/session.ts';
import { browserZone, formatDateTime } from '#web/base/time.ts';
import { useChangeProfile, useProfile } from '#web/parts/profile.ts';
import { Section } from '#web/parts/section.tsx';
import styles from '#web/parts/setting.module.css';
import { useFormDraft } from '#web/parts/use-form-draft.ts';
import { useNow } from '#web/parts/use-now.ts';
import { ZoneSelect } from '#web/parts/zone-select.tsx';

export const AboutYou = () => {
  const { user } = useSession();
  const [newName, setNewName] = useFormDraft<string | undefined>('name', undefined);
  const name = newName ?? user.name;
  const { mutate, error, isPending } = useChangeProfile();
  const isChanged = name.trim() !== '' && name.trim() !== user.name;
  return (
    <Section title="You">
      <form
        className={styles.fields}
        onSubmit={(event) => {
          event.preventDefault();
          if (isChanged) mutate({ name: name.trim() }, { onSuccess: () => setNewName(undefined) });
        }}
      >
        <TextInput
          label="Name"
          description="Other members see it."
          value={name}
          maxLength={100}
          autoComplete="name"
          error={fieldFault(error, 'name', 'The name')}
          onChange={(event) => setNewName(event.currentTarget.value)}
        />
        {isChanged && (
          <div className="flow">
            <Button type="submit" variant="ink" loading={isPending}>
              Save
            </Button>
            <Button variant="quiet" onClick={() => setNewName(undefined)}>
              Cancel
            </Button>
          </div>
        )}
        <ProfileZone />
      </form>
    </Section>
  );
};

const ProfileZone = () => {
  const { timeZone } = useProfile();
  const zone = useZone();
  const now = useNow();
  const { mutate } = useChangeProfile();
  return (
    <ZoneSelect
      label="Time zone"
      description={`All times are shown in it. It is ${formatDateTime(now, zone)} there.`}
      first={{ value: '', label: `Same as the browser (${browserZone()})` }}
      value={timeZone}
      onChange={(next) => mutate({ timeZone: next })}
    />
  );
};
