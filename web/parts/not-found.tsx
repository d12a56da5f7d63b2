import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { FileQuestion } from 'lucide-react';
import { EmptyState } from './empty-state.tsx';
import { PageHeader } from './page-header.tsx';

const NotFound = () => (
  <>
    <PageHeader title="Not found" />
    <EmptyState
      icon={FileQuestion}
      title="There is nothing at this address"
      action={
        <Button variant="ink" component={Link} to="/">
          Go home
        </Button>
      }
    >
      It may have been deleted, or it belongs to another workspace of yours.
    </EmptyState>
  </>
);

export default NotFound;
