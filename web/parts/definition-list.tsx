import styles from './definition-list.module.css';

/** Omits entries without a value. */
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
