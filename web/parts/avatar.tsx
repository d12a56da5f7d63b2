import { useState } from 'react';
import styles from './avatar.module.css';

/** Shows initials if there is no picture or it fails to load. */
export const Avatar = ({ name, src, size = 26 }: { name: string; src?: string | undefined; size?: number }) => {
  const [missing, setMissing] = useState<string>();
  const fontSize = Math.max(10, Math.round(size * 0.4));
  const style = { width: size, height: size, fontSize, '--hue': hueOf(name) } as React.CSSProperties;
  return src && src !== missing ? (
    <img className={styles.avatar} style={style} src={src} alt="" loading="lazy" onError={() => setMissing(src)} />
  ) : (
    <span className={styles.avatar} style={style} aria-hidden="true">
      {initialsOf(name)}
    </span>
  );
};

const initialsOf = (name: string) =>
  name
    .replace(/^@/, '')
    .replace(/@.*$/, '')
    .split(/[\s._-]+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase())
    .join('');

/** Derived from the name, so that the colour is stable. */
const hueOf = (name: string) => [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 360, 90);
