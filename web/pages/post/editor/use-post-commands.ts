import { CalendarClock, Clock, LayoutTemplate, Send } from 'lucide-react';
import { useZone } from '#web/base/session.ts';
import { formatDateTime } from '#web/base/time.ts';
import { useActLabel } from '#web/parts/approval-requests.ts';
import { type PaletteCommand, usePageCommands } from '#web/parts/palette-store.ts';
import type { Editor } from './use-editor.ts';
import type { Sending } from './use-sending.ts';
import type { Templating } from './use-templating.ts';

/** Commands for the open post. None sends without the panel or dialog. */
export const usePostCommands = ({ save, readOnly }: Editor, sending: Sending, templating: Templating) => {
  const zone = useZone();
  const label = useActLabel();
  const { slot } = sending;
  const status = save.base?.status;
  const isScheduled = status === 'Scheduled';
  const inSlot: PaletteCommand[] =
    slot === undefined || status === 'Failed'
      ? []
      : [
          {
            id: 'slot',
            label: label(isScheduled ? 'Move to the next free slot' : 'Schedule in the next free slot'),
            icon: CalendarClock,
            hint: formatDateTime(slot, zone),
            words: 'queue',
            run: () => {
              sending.pick(slot);
              sending.openPanel();
            },
          },
        ];
  const commands: PaletteCommand[] = [
    ...(status === 'Failed'
      ? []
      : [{ id: 'schedule', label: label('Schedule this post'), icon: Clock, keys: '⌘ ⇧ ↵', run: sending.openPanel }]),
    ...inSlot,
    { id: 'publish', label: label('Publish this post now'), icon: Send, keys: '⌘ ↵', run: sending.openPublishDialog },
    { id: 'template', label: 'Insert template', icon: LayoutTemplate, words: 'signature', run: templating.choose },
  ];
  usePageCommands(readOnly ? [] : commands);
};
