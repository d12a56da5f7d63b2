import { SegmentedControl, Switch } from '@mantine/core';
import type { Session } from '#generated/app-client';
import { useChangeProfile, useProfile } from '#web/parts/profile.ts';
import { Section } from '#web/parts/section.tsx';
import styles from '#web/parts/setting.module.css';
import { themes } from '#web/shell/theme-menu.tsx';

export const Appearance = () => {
  const { theme, shortcuts } = useProfile();
  const { mutate } = useChangeProfile();
  return (
    <Section title="Appearance and keys" note="in every browser you sign in with" card>
      <div className={styles.setting}>
        <div className={styles.words}>
          <p>Theme</p>
        </div>
        <SegmentedControl
          aria-label="Theme"
          data={themes.map(([value, label]) => ({ value, label }))}
          value={theme}
          onChange={(next) => mutate({ theme: next as Session['user']['theme'] })}
        />
      </div>
      <div className={styles.setting}>
        <div className={styles.words}>
          <p id="shortcuts">Single-key shortcuts</p>
          <p className="small text-3">
            C writes a post, J and K walk through lists. Switch them off when they get in the way of speech input.
          </p>
        </div>
        <Switch
          aria-labelledby="shortcuts"
          checked={shortcuts}
          onChange={(event) => mutate({ shortcuts: event.currentTarget.checked })}
        />
      </div>
    </Section>
  );
};
