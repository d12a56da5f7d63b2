import styles from './definition-list.module.css';

/** Names and values, one line each; empty values are left out. */
export const DefinitionList = ({ items }: { items: readonly (readonly [name: string, value: React.ReactNode])[] }) => (
  <dl className={styles.list}>
    {items
      .filter(([, value]) => value !== undefined && value !== null && value !== '')
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);
