import { Button } from '@mantine/core';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';

/** What not everybody wants to see: its content is made when a person opens it. */
export const Disclosure = ({
  show,
  hide,
  children,
}: {
  /** The words of the button while it is closed, and while it is open. */
  show: string;
  hide: string;
  children: React.ReactNode;
}) => {
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const Icon = isOpen ? ChevronDown : ChevronRight;
  return (
    <>
      <Button
        size="xs"
        variant="quiet"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        leftSection={<Icon size={14} aria-hidden="true" />}
        onClick={() => setIsOpen(!isOpen)}
      >
        {isOpen ? hide : show}
      </Button>
      {isOpen && <div id={id}>{children}</div>}
    </>
  );
};
