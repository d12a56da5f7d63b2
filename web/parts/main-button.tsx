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
  const isBlocked = reason !== undefined;
  return (
    <>
      <Button
        variant="ink"
        {...props}
        aria-disabled={isBlocked || undefined}
        aria-describedby={isBlocked ? id : undefined}
        onClick={(event) => {
          if (!isBlocked && !props.loading) return onClick();
          event.preventDefault();
        }}
      >
        {children}
      </Button>
      {isBlocked && (
        <span id={id} className={reasonHidden ? 'hidden' : 'small text-3'}>
          {reason}
        </span>
      )}
    </>
  );
};
