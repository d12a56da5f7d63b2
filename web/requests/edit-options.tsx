import { useQuery } from '@tanstack/react-query';
import type { ApprovalCard, Post } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys, queries } from '#web/base/queries.ts';
import { isIdOption } from '#web/parts/option-value.ts';
import { isPlainOption, PlainOption } from '#web/parts/plain-option.tsx';
import { Skeleton } from '#web/parts/skeleton-rows.tsx';
import styles from './edit-form.module.css';

type Version = Post['versions'][number];

/** Each network's options, collapsed at first. Options for files, polls and places can only be set in the editor. */
export const EditOptions = ({
  card,
  versions,
  accountIds,
  onChange,
}: {
  card: ApprovalCard;
  versions: Version[];
  accountIds: readonly string[];
  onChange: (versions: Version[]) => void;
}) => {
  const limits = useQuery(queries.limits).data?.providers ?? [];
  const postId = card.post?.id ?? '';
  // Loads choices that are specific to the account, such as its boards.
  const { data: view, isLoading } = useQuery({
    queryKey: keys.editor(postId),
    queryFn: ({ signal }) => app.viewForEditor({ id: postId }, { signal }),
    enabled: postId !== '',
  });
  const original = versions.findIndex(({ accountId }) => accountId === undefined);
  // Accounts of one network that have no version of their own share the options of the original.
  const groups = new Map<string, { account: ApprovalCard['accounts'][number]; index: number }>();
  for (const account of card.accounts.filter(({ id }) => accountIds.includes(id))) {
    const own = versions.findIndex(({ accountId }) => accountId === account.id);
    const index = own >= 0 ? own : original;
    const key = `${account.network} ${index}`;
    if (!groups.has(key)) groups.set(key, { account, index });
  }
  return [...groups].map(([group, { account, index }]) => {
    const provider = limits.find(({ network }) => network === account.network);
    const options = provider?.options.filter(isPlainOption) ?? [];
    const choices = view?.accounts.find(({ accountId }) => accountId === account.id)?.choices;
    if (options.length === 0) return null;
    return (
      <details key={group} className={styles.options}>
        <summary>{`Options of ${provider?.provider}${index === original ? '' : `, ${account.handle}`}`}</summary>
        <div className={styles.optionFields}>
          {options.map((option) => {
            const { key, label } = option;
            const id = `edit ${card.id} ${group} ${key}`;
            const value = versions[index]?.options[key] ?? '';
            const inherited = index === original ? undefined : versions[original]?.options[key];
            return (
              <div key={key}>
                <label htmlFor={id}>{label}</label>
                {isLoading && value !== '' && isIdOption(option) ? (
                  <Skeleton width="100%" height={36} />
                ) : (
                  <PlainOption
                    id={id}
                    aria-describedby={undefined}
                    disabled={false}
                    option={option}
                    choices={choices?.[key] ?? option.choices}
                    value={value}
                    fallback={inherited || option.default}
                    onChange={(changed) => onChange(withOption(versions, index, key, changed))}
                  />
                )}
              </div>
            );
          })}
        </div>
      </details>
    );
  });
};

const withOption = (versions: readonly Version[], index: number, key: string, value: string) =>
  versions.map((version, at) => {
    if (at !== index) return version;
    const { [key]: _, ...others } = version.options;
    return { ...version, options: value === '' ? others : { ...others, [key]: value } };
  });
