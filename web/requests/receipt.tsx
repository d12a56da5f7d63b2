import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck, Download } from 'lucide-react';
import type { ApprovalCard, Receipt as ReceiptRecord } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { useZone } from '#web/base/session.ts';
import { capitalize } from '#web/parts/capitalize.ts';
import { CopyButton } from '#web/parts/copy.tsx';
import { DefinitionList } from '#web/parts/definition-list.tsx';
import { Disclosure } from '#web/parts/disclosure.tsx';
import { joinWithAnd } from '#web/parts/join-names.ts';
import { Loaded } from '#web/parts/loaded.tsx';
import { saveFile } from '#web/parts/save-file.ts';
import { When } from '#web/parts/when.tsx';
import { formatMoment, lineOf } from './format-request.ts';
import styles from './receipt.module.css';
import { useDecisionText } from './use-decision-text.ts';

/** The signed proof of a decision, loaded when somebody wants to see it. */
export const Receipt = ({ card }: { card: ApprovalCard }) => (
  <section className={styles.receipt}>
    <Disclosure show="Receipt" hide="Hide the receipt">
      <LoadedReceipt id={card.id} />
    </Disclosure>
  </section>
);

const LoadedReceipt = ({ id }: { id: string }) => {
  const query = useQuery({ queryKey: keys.receipt(id), queryFn: ({ signal }) => app.getReceipt({ id }, { signal }) });
  return (
    <div className={styles.content}>
      <Loaded query={query} title="The receipt could not be loaded" rows={4} height={24}>
        {(receipt) => <ReceiptView receipt={receipt} name={id} />}
      </Loaded>
    </div>
  );
};

const ReceiptView = ({ receipt, name }: { receipt: ReceiptRecord; name: string }) => {
  // If a rejection was taken back, there are two more entries, so take the last decision.
  const decision = receipt.entries.findLast(({ entry }) => entry.kind === 'Decision');
  const outcome = receipt.entries.at(-1)?.entry;
  const text = `${JSON.stringify(receipt, null, 2)}\n`;
  if (decision === undefined) return null;
  const { entry, keyId } = decision;
  const hasEnded = outcome?.kind === 'Outcome';
  return (
    <>
      <DefinitionList
        items={[
          ['Decided', <When key="at" at={entry.at} form="full" />],
          ['Signed in by', joinWithAnd((entry.means ?? []).map((means) => meansTexts[means])) || 'not recorded'],
          [
            'Confirmed',
            entry.confirmation &&
              (entry.confirmation.numbers.length === 1
                ? 'with a passkey, for exactly this'
                : `with a passkey, for ${entry.confirmation.numbers.length} requests at once`),
          ],
          ['Entry', `${entry.number} in the log of this workspace`],
          ['Content number', <code key="content">{entry.content}</code>],
          ['Publishing', hasEnded ? outcomeText(outcome.status, outcome.post === entry.post) : undefined],
          ['Signed with', <code key="key">{keyId}</code>],
        ]}
      />
      <p className="small text-2">
        Anybody can check it with <code>posthorn verify</code> and the public key of this installation.
      </p>
      <div className="flow">
        <CopyButton value={text} label="Copy the receipt">
          Copy
        </CopyButton>
        <Button
          size="xs"
          leftSection={<Download size={14} aria-hidden="true" />}
          onClick={() => saveFile(new Blob([text], { type: 'application/json' }), `receipt-${name}.json`)}
        >
          Save as a file
        </Button>
      </div>
    </>
  );
};

/** The last approval of this client, to show what an approval leaves behind. */
export const EarlierReceipt = ({ card }: { card: ApprovalCard }) => {
  const zone = useZone();
  const text = useDecisionText();
  const { data: receipt } = useQuery({
    queryKey: keys.receipt(card.id),
    queryFn: ({ signal }) => app.getReceipt({ id: card.id }, { signal }),
  });
  const decision = receipt?.entries.findLast(({ entry }) => entry.kind === 'Decision')?.entry;
  const outcome = receipt?.entries.at(-1)?.entry;
  if (receipt === undefined || decision?.content === undefined) return null;
  const means = joinWithAnd((decision.means ?? []).map((one) => meansTexts[one]));
  return (
    <section className={styles.earlier} aria-label="Receipt of an earlier approval">
      <h3 className={styles.earlierHead}>
        Receipt <span className="small text-2">of an earlier approval</span>
      </h3>
      <div className={styles.slip}>
        <p className={styles.slipHead}>
          <CircleCheck size={16} aria-hidden="true" />
          <Link to="/approvals/$id" params={{ id: card.id }}>
            {lineOf(card, zone)}
          </Link>
          <CopyButton value={`${JSON.stringify(receipt, null, 2)}\n`} label="Copy the receipt" />
        </p>
        <DefinitionList
          items={[
            ['Decided', `${capitalize(text(card))}${means ? `, with a ${means}` : ''}`],
            ['Asked by', `${card.client}, ${formatMoment(card.createdAt, zone)}`],
            ['Content', <code key="content">{shortDigest(decision.content)}</code>],
            [
              'Since then',
              outcome?.kind === 'Outcome' ? (outcome.post === decision.post ? 'unchanged' : 'changed') : 'not out yet',
            ],
          ]}
        />
        <p className={styles.slipNote}>
          The content number covers the text, the files, the accounts and the options. If one of them changes, this
          approval no longer applies.
        </p>
      </div>
    </section>
  );
};

/** `7f3a 91c0 … e2d4` */
const shortDigest = (digest: string) => `${digest.slice(0, 4)} ${digest.slice(4, 8)} … ${digest.slice(-4)}`;

const meansTexts: Record<NonNullable<ReceiptRecord['entries'][number]['entry']['means']>[number], string> = {
  password: 'password',
  link: 'one-time link',
  provider: 'identity provider',
  passkey: 'passkey',
  totp: 'code from an app',
  'recovery-code': 'recovery code',
  'passkey-sign-in': 'passkey at sign-in',
};

const outcomeText = (status: string | undefined, isSame: boolean) =>
  `${status}. ${isSame ? 'What was published is what was decided.' : 'The post was changed after the decision.'}`;
