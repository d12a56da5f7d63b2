import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, Info, type LucideIcon, TriangleAlert } from 'lucide-react';
import { app } from '#web/base/api.ts';
import { useNetworks } from '#web/base/networks.ts';
import { keys, queries } from '#web/base/queries.ts';
import { blocksIn, describeBlocked } from '#web/parts/forecast.tsx';
import { LinkedText } from '#web/parts/linked-text.tsx';
import { NetworkBadges } from '#web/parts/network-badge.tsx';
import { count } from '#web/parts/number.ts';
import styles from './check-list.module.css';
import { type Fix, isEmpty, readyAccounts } from './checks.ts';
import { changeSide, setOption } from './draft.ts';
import { useEditor } from './use-editor.ts';
import { useSplit } from './use-split.ts';

const icons = { red: CircleAlert, orange: TriangleAlert, info: Info };

/** Each check links to its field. */
export const CheckList = ({ onLeave }: { onLeave?: () => void }) => {
  const { checks, reveal } = useEditor();
  return (
    <section aria-label="Checks">
      <header className={styles.head}>
        <h2 className="subtitle">Checks</h2>
        <CheckSummary />
      </header>
      <ul>
        {checks.map(({ tone, networks, text, act, place, fix, item }) => {
          const Icon = icons[tone];
          const inside = (
            <>
              <Icon className={styles.icon} data-tone={tone} size={16} aria-hidden="true" />
              {networks.length > 0 && <NetworkBadges networks={networks} size={16} max={4} />}
              <span className={styles.text}>{place ? text : <LinkedText text={text} />}</span>
              {act && <span className={styles.act}>{act}</span>}
            </>
          );
          return (
            <li key={`${text} ${networks.join()} ${place?.version} ${place?.field}`} className="divided">
              {place ? (
                <button
                  type="button"
                  className={styles.check}
                  onClick={() => {
                    onLeave?.();
                    reveal(place);
                  }}
                >
                  {inside}
                </button>
              ) : (
                <span className={styles.check}>{inside}</span>
              )}
              {fix && <Fixes fix={fix} network={networks[0] ?? ''} />}
              {item !== undefined && (
                <WaysToShorten item={item} version={place?.version} network={networks[0] ?? ''} onLeave={onLeave} />
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
};

const fixLabels: Readonly<Record<string, string>> = {
  shrink: 'Shrink',
  pad: 'Add borders',
  crop: 'Crop',
  // The option that cuts long videos is the only Boolean option among the fixes.
  true: 'Cut the end',
};

/** Sets the option on the original, unless the account's version overrides it. */
const Fixes = ({ fix: { key, values, accountId }, network }: { fix: Fix; network: string }) => {
  const { edit, save, readOnly } = useEditor();
  const name = useNetworks().of(network).name;
  if (readOnly) return null;
  const owner = save.draft.own[accountId]?.options[key] === undefined ? undefined : accountId;
  return (
    <span className={styles.fixes}>
      {values.map((value) => (
        <button
          key={value}
          type="button"
          className={styles.fix}
          onClick={() => edit(changeSide(owner, setOption(key, value)))}
        >
          {fixLabels[value] ?? value} for {name}
        </button>
      ))}
    </span>
  );
};

/** Alternatives to shortening the text by hand. */
const WaysToShorten = ({
  item,
  version,
  network,
  onLeave,
}: {
  item: number;
  version: string | undefined;
  network: string;
  onLeave: (() => void) | undefined;
}) => {
  const { readOnly } = useEditor();
  const split = useSplit(item, version);
  const { name } = useNetworks().of(network);
  const { data } = useQuery({
    queryKey: keys.chats,
    queryFn: ({ signal }) => app.listChats({ signal }),
    enabled: !readOnly,
  });
  const model = readOnly ? undefined : data?.model;
  if (split === undefined && model === undefined) return null;
  return (
    <span className={styles.fixes}>
      {split && (
        <button
          type="button"
          className={styles.fix}
          onClick={() => {
            onLeave?.();
            split();
          }}
        >
          Split into a thread
        </button>
      )}
      {model !== undefined && (
        <Link to="/assistant" search={{ ask: `Shorten this post for ${name}.` }} className={styles.fix}>
          Ask {model}
        </Link>
      )}
    </span>
  );
};

/** `Ready for 7 accounts`, `6 of 7 ready` or `2 to fix`. */
export const CheckSummary = ({ withIcon = false }: { withIcon?: boolean }) => {
  const { checks, chosen, save, isChecked, isUncheckable } = useEditor();
  const { accountIds } = save.draft;
  const forecast = useForecast();
  if (isEmpty(save.draft)) return <span className="small text-3">Nothing written yet</span>;
  const broken = checks.filter(({ tone }) => tone === 'red').length;
  const foretold = describeBlocked({ accountIds, forecast });
  const blocked = new Set(blocksIn(forecast).flatMap(({ accountId }) => accountId ?? []));
  const ready = readyAccounts(checks, accountIds).filter((id) => !blocked.has(id)).length;
  if (ready > 0 && ready < chosen.length) {
    return <Summary tone="orange" icon={withIcon && TriangleAlert} text={`${ready} of ${chosen.length} ready`} />;
  }
  if (broken > 0) return <Summary tone="red" icon={withIcon && CircleAlert} text={`${broken} to fix`} />;
  if (!isChecked) return <span className="small text-3">{isUncheckable ? 'Not checked' : 'Checking…'}</span>;
  if (foretold !== undefined) return <Summary tone="orange" icon={withIcon && TriangleAlert} text={foretold} />;
  return <Summary tone="green" icon={withIcon && CircleCheck} text={`Ready for ${count(chosen.length, 'account')}`} />;
};

const Summary = ({ tone, icon: Icon, text }: { tone: string; icon: LucideIcon | false; text: string }) => (
  <span className={styles.summary} data-tone={tone} role="status">
    {Icon && <Icon size={16} aria-hidden="true" />}
    {text}
  </span>
);

/** A scheduled post's forecast can change while the post does not, so the editor's own copy may be stale. */
export const useForecast = () => {
  const { base } = useEditor().save;
  const { data } = useQuery({ ...queries.post(base?.id ?? ''), enabled: base !== undefined });
  return base?.status === 'Scheduled' ? data?.forecast : undefined;
};
