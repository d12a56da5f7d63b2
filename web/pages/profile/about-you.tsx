import { Button, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { fieldFault } from '#web/faults.ts';
import { Section } from '#web/parts/section.tsx';
import { browserZone, formatDateTime } from '#web/parts/time.ts';
import { useNow } from '#web/parts/use-now.ts';
import { useSession, useZone } from '#web/session.ts';
import { useChangeProfile, useProfile } from '#web/shell/profile.ts';
import styles from './profile.module.css';

export const AboutYou = () => {
  const { user } = useSession();
  const [name, setName] = useState(user.name);
  const { mutate, error, isPending } = useChangeProfile();
  const isChanged = name.trim() !== '' && name.trim() !== user.name;
  return (
    <Section title="You">
      <form
        className={styles.fields}
        onSubmit={(event) => {
          event.preventDefault();
          if (isChanged) mutate({ name: name.trim() });
        }}
      >
        <TextInput
          label="Name"
          description="Other members see it."
          value={name}
          maxLength={100}
          autoComplete="name"
          error={fieldFault(error, 'name', 'The name')}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {isChanged && (
          <div className={styles.buttons}>
            <Button type="submit" variant="ink" loading={isPending}>
              Save
            </Button>
            <Button variant="quiet" onClick={() => setName(user.name)}>
              Cancel
            </Button>
          </div>
        )}
        <ZoneSelect />
      </form>
    </Section>
  );
};

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

const ZoneSelect = () => {
  const { timeZone } = useProfile();
  const zone = useZone();
  const now = useNow();
  const { mutate } = useChangeProfile();
  const ofBrowser = { value: '', label: `Same as the browser (${browserZone()})` };
  const known = zones.includes(timeZone) || timeZone === '' ? zones : [timeZone, ...zones];
  return (
    <Select
      label="Time zone"
      description={`All times are shown in it. It is ${formatDateTime(now, zone)} there.`}
      searchable
      nothingFoundMessage="No such zone"
      data={[ofBrowser, ...known.map((value) => ({ value, label: value.replaceAll('_', ' ') }))]}
      value={timeZone}
      limit={60}
      onChange={(next) => next !== null && mutate({ timeZone: next })}
    />
  );
};
