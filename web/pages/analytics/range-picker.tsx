import { ActionIcon, Button, Menu, Modal, SegmentedControl, TextInput, Tooltip } from '@mantine/core';
import { CalendarDays, Check } from 'lucide-react';
import { useState } from 'react';
import { useIsPhone } from '#web/parts/use-is-phone.ts';
import { formatRange } from './format-dates.ts';
import styles from './range-picker.module.css';
import { datesFault, presets, type useRange } from './use-range.ts';

export const RangePicker = ({ range, today, setPreset, setDates }: ReturnType<typeof useRange>) => {
  const isPhone = useIsPhone();
  const [isChoosing, setIsChoosing] = useState(false);
  const isDates = range.choice === 'dates';
  const dates = isDates ? formatRange(range, today) : 'Dates';
  const choose = (value: string) => (value === 'dates' ? setIsChoosing(true) : void setPreset(value));
  const choices = [...presets.map(({ value, label }) => ({ value, label })), { value: 'dates', label: dates }];
  return (
    <>
      {isPhone ? (
        <Menu>
          <Menu.Target>
            <Button variant="quiet" className={styles.phone}>
              {choices.find(({ value }) => value === range.choice)?.label}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {choices.map(({ value, label }) => (
              <Menu.Item
                key={value}
                rightSection={value === range.choice && <Check size={14} aria-label="chosen" />}
                onClick={() => choose(value)}
              >
                {label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      ) : (
        <SegmentedControl
          aria-label="Range"
          value={range.choice}
          onChange={choose}
          data={choices.map(({ value, label }) => ({ value, label: <RangeLabel label={label} /> }))}
        />
      )}
      {isDates && !isPhone && (
        <Tooltip label="Change the dates">
          <ActionIcon aria-label="Change the dates" onClick={() => setIsChoosing(true)}>
            <CalendarDays size={18} strokeWidth={1.75} aria-hidden="true" />
          </ActionIcon>
        </Tooltip>
      )}
      <Modal opened={isChoosing} onClose={() => setIsChoosing(false)} title="Choose dates" size={400}>
        <DatesForm
          first={range.firstDay}
          last={range.lastDay}
          today={today}
          onChoose={(from, to) => {
            setIsChoosing(false);
            void setDates(from, to);
          }}
        />
      </Modal>
    </>
  );
};

/** Narrow pages say `7` and `30` beside `90 days`. */
const RangeLabel = ({ label }: { label: string }) => {
  const [, number, unit] = /^(7|30)( days)$/.exec(label) ?? [];
  if (number === undefined) return label;
  return (
    <>
      {number}
      <span className={styles.unit}>{unit}</span>
    </>
  );
};

const DatesForm = ({
  first,
  last,
  today,
  onChoose,
}: {
  first: string;
  last: string;
  today: string;
  onChoose: (from: string, to: string) => void;
}) => {
  const [from, setFrom] = useState(first);
  const [to, setTo] = useState(last);
  const [hasSubmitted, setHasSubmitted] = useState(false);
  const fault = datesFault(from, to);
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        setHasSubmitted(true);
        if (fault === undefined) onChoose(from, to);
      }}
    >
      <TextInput
        type="date"
        label="First day"
        value={from}
        max={today}
        onChange={(event) => setFrom(event.currentTarget.value)}
        data-autofocus
      />
      <TextInput
        type="date"
        label="Last day"
        value={to}
        max={today}
        onChange={(event) => setTo(event.currentTarget.value)}
        error={hasSubmitted ? fault : undefined}
      />
      <Button type="submit" variant="ink">
        Show
      </Button>
    </form>
  );
};
