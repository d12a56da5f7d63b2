import { Modal } from '@mantine/core';
import { NewWorkspaceForm } from './new-workspace-form.tsx';

const NewWorkspace = ({ onClose }: { onClose: () => void }) => (
  <Modal opened onClose={onClose} title="New workspace" size={420}>
    <NewWorkspaceForm />
  </Modal>
);

export default NewWorkspace;
