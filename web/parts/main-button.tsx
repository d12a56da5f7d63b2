import { Button, type ButtonProps } from '@mantine/core';
import { useId } from 'react';

/**
 * With `reason` the button is disabled but focusable, and shows why. `reasonHidden`: only screen readers get the
 * reason, because the page shows it elsewhere.
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
