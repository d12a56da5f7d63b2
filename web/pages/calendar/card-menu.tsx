import { ActionIcon, Menu } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { CalendarClock, Copy, Ellipsis, EllipsisVertical, SquarePen, Stamp } from 'lucide-react';
import { useState } from 'react';
import { usePermissions } from '#web/base/session.ts';
import { useActLabel } from '#web/parts/approval-requests.ts';
import { useDuplicate } from '#web/parts/post-actions.ts';
import { titleOf } from '#web/parts/post-title.tsx';
import { useOpenApprovals } from '#web/parts/use-open-approvals.ts';
import type { Choosing } from './time-dialog.tsx';
import type { Item } from './use-items.ts';

/** Every drag action has its equivalent here. Menus are expensive to render, so only the open one is mounted. */
export const CardMenu = ({
  item,
  onChoose,
  className,
  isTall = false,
  tabIndex,
}: {
  item: Item;
  onChoose: (choosing: Choosing) => void;
  className?: string | undefined;
  isTall?: boolean;
  tabIndex?: 0 | -1;
}) => {
  const [opened, setOpened] = useState(false);
  const Icon = isTall ? EllipsisVertical : Ellipsis;
  const button = (
    <ActionIcon
      className={className}
      tabIndex={tabIndex}
      size={isTall ? 40 : 24}
      aria-label={`Actions for ${titleOf(item.post.text) || 'the empty draft'}`}
      aria-haspopup="menu"
      data-open={opened || undefined}
      onClick={() => setOpened(!opened)}
    >
      <Icon size={isTall ? 18 : 16} aria-hidden="true" />
    </ActionIcon>
  );
  return opened ? <OpenMenu item={item} button={button} onChoose={onChoose} onChange={setOpened} /> : button;
};

const OpenMenu = ({
  item: { post, at, isMovable },
  button,
  onChoose,
  onChange,
}: {
  item: Item;
  button: React.ReactElement;
  onChoose: (choosing: Choosing) => void;
  onChange: (isOpen: boolean) => void;
}) => {
  const navigate = useNavigate();
  const duplicate = useDuplicate();
  const { canWrite } = usePermissions();
  const label = useActLabel();
  const card = useOpenApprovals().ofPost.get(post.id);
  return (
    <Menu opened onChange={onChange} withinPortal width={200} returnFocus>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<SquarePen size={16} />}
          onClick={() => void navigate({ to: '/posts/$id', params: { id: post.id } })}
        >
          Open
        </Menu.Item>
        {isMovable && (
          <Menu.Item leftSection={<CalendarClock size={16} />} onClick={() => onChoose({ post, at })}>
            {post.status === 'Draft' ? label('Schedule or move…') : label('Move to…')}
          </Menu.Item>
        )}
        {card && (
          <Menu.Item
            leftSection={<Stamp size={16} />}
            onClick={() => void navigate({ to: '/approvals/$id', params: { id: card.id } })}
          >
            Review the request
          </Menu.Item>
        )}
        {canWrite && (
          <Menu.Item leftSection={<Copy size={16} />} onClick={() => void duplicate([post.id])}>
            Duplicate
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
};
