import { Button, Radio, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { AddAdviceInput } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { fieldFault } from '#web/base/faults.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import styles from './review.module.css';

type Verdict = AddAdviceInput['verdict'];

const maxCharacters = 2_000;
const choices: [Verdict, string][] = [
  ['Fine', 'Fine by me'],
  ['Change', 'Please change'],
  ['Comment', 'Just a comment'],
];

/** Feedback from people without an account; it decides nothing. `updatedAt` identifies the version that they read. */
export const AdviceForm = ({ updatedAt, secret }: { updatedAt: string; secret: string }) => {
  const [name, setName] = useState('');
  const [verdict, setVerdict] = useState<Verdict>('Fine');
  const [body, setBody] = useState('');
  const send = useMutation({
    mutationFn: () => app.addAdvice({ secret, name, verdict, body, updatedAt }),
    onSuccess: () => setBody(''),
  });
  const nameFault = fieldFault(send.error, 'name', 'Your name');
  const bodyFault = fieldFault(send.error, 'body', 'What you say');
  return (
    <form
      className={styles.advice}
      aria-labelledby="advice-title"
      onSubmit={(event) => {
        event.preventDefault();
        if (!send.isPending) send.mutate();
      }}
    >
      <h2 id="advice-title" className={styles.adviceTitle}>
        What do you say?
      </h2>
      <p className="small text-2">
        The people who share this post read it under the name you give. It changes and publishes nothing.
      </p>
      <TextInput
        label="Your name"
        required
        maxLength={80}
        autoComplete="name"
        value={name}
        error={nameFault}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Radio.Group label="Your advice" value={verdict} onChange={(value) => setVerdict(value as Verdict)}>
        <div className={styles.verdicts}>
          {choices.map(([value, label]) => (
            <Radio key={value} value={value} label={label} />
          ))}
        </div>
      </Radio.Group>
      <Textarea
        label={verdict === 'Comment' ? 'Comment' : 'Comment (optional)'}
        required={verdict === 'Comment'}
        autosize
        minRows={3}
        maxRows={12}
        maxLength={maxCharacters}
        dir="auto"
        value={body}
        error={bodyFault}
        onChange={(event) => setBody(event.currentTarget.value)}
      />
      {send.error && !nameFault && !bodyFault && <FaultBanner fault={send.error} title="It was not sent" />}
      <div className={styles.sendRow}>
        <Button type="submit" variant="ink" loading={send.isPending}>
          Send
        </Button>
        <span role="status" className="small text-2">
          {send.isSuccess && 'Sent. Thank you.'}
        </span>
      </div>
    </form>
  );
};
