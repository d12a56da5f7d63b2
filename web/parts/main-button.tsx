import { Button, type ButtonProps } from '@mantine/core';
import { useId } from 'react';

/**
 * A button that may be blocked: it stays focusable, does nothing, and says why beside it. `reason` blocks it.
 * `reasonHidden`: the page shows the reason elsewhere; then it is read out only.
 */
export const MainButton = ({
  reason,
  reasonHidden = false,
  onClick,
  children,
  ...props
}: ButtonProps & {
  reason?: string | undefined;
  reasonHidden?: boolean;
  onClick: () => void;
  type?: 'button' | 'submit';
}) => {
  const id = useId();
  const blocked = reason !== undefined;
  return (
    <>
      <Button
        variant="ink"
        {...props}
        aria-disabled={blocked || undefined}
        aria-describedby={blocked ? id : undefined}
        onClick={(event) => {
          if (!blocked && !props.loading) return onClick();
          event.preventDefault();
        }}
      >
        {children}
      </Button>
      {blocked && (
        <span id={id} className={reasonHidden ? 'hidden' : 'small text-3'}>
          {reason}
        </span>
      )}
    </>
  );
};
