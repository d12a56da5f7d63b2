import { Button } from '@mantine/core';
import { X } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { app } from '#web/base/api.ts';
import { faultOf } from '#web/base/faults.ts';
import { thumbnailOf } from '#web/parts/media-file.ts';
import { showToast } from '#web/parts/toasts.tsx';
import { FileMenu } from './file-menu.tsx';
import type { Option } from './limits.ts';
import styles from './media-option.module.css';
import { useEditor } from './use-editor.ts';

const LibraryDialog = lazy(() => import('./library-dialog.tsx'));

export const MediaOption = ({
  option: { label, file },
  value,
  fallback,
  disabled,
  onChange,
  ...fieldProps
}: {
  id: string;
  option: Option;
  value: string;
  /** The original's file, which an account's version inherits. */
  fallback: string | undefined;
  disabled: boolean;
  onChange: (value: string) => void;
}) => {
  const { rememberMedia, trackUpload, mediaOf } = useEditor();
  const input = useRef<HTMLInputElement>(null);
  const chooser = useRef<HTMLButtonElement>(null);
  const [isChoosing, setIsChoosing] = useState(false);
  const [isUploading, setIsUploading] = useState(false);
  const visibleId = value || fallback;
  const add = async (chosen: File) => {
    setIsUploading(true);
    try {
      const item = await app.uploadMedia({ file: chosen }, { filename: chosen.name });
      rememberMedia(item);
      onChange(item.id);
    } catch (error) {
      showToast({ text: `${chosen.name} was not added. ${faultOf(error).message}`, tone: 'red', stays: true });
    } finally {
      setIsUploading(false);
    }
  };
  const words = value ? 'Change' : 'Choose a file';
  return (
    <div className="row wrap">
      {visibleId && (
        <img
          className={styles.picture}
          src={thumbnailOf(visibleId)}
          alt={mediaOf(visibleId)?.alt || label}
          data-inherited={!value || undefined}
        />
      )}
      <FileMenu onDevice={() => input.current?.click()} onLibrary={() => setIsChoosing(true)}>
        <Button
          {...fieldProps}
          ref={chooser}
          variant="default"
          size="sm"
          disabled={disabled}
          loading={isUploading}
          aria-label={`${words} for ${label}`}
        >
          {words}
        </Button>
      </FileMenu>
      {value && !disabled && (
        <Button
          variant="quiet"
          size="sm"
          leftSection={<X size={15} aria-hidden="true" />}
          aria-label={`Remove ${label}`}
          onClick={() => {
            onChange('');
            chooser.current?.focus();
          }}
        >
          Remove
        </Button>
      )}
      <input
        ref={input}
        type="file"
        accept={file?.mimeTypes.join(',')}
        hidden
        aria-label={`File from this device for ${label}`}
        onChange={({ currentTarget }) => {
          const [chosen] = currentTarget.files ?? [];
          if (chosen) trackUpload(add(chosen));
          currentTarget.value = '';
        }}
      />
      <Suspense>
        {isChoosing && (
          <LibraryDialog
            accepts={file?.mimeTypes}
            single
            onClose={() => setIsChoosing(false)}
            onChoose={([id = '']) => onChange(id)}
          />
        )}
      </Suspense>
    </div>
  );
};
