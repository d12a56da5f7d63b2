import { Button } from '@mantine/core';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';

/** Collapsed previews, for pages where other content comes first. */
export const PreviewDisclosure = ({ children }: { children: React.ReactNode }) => {
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
        {isOpen ? 'Hide previews' : 'Show previews'}
      </Button>
      {isOpen && <div id={id}>{children}</div>}
    </>
  );
};
