import { byteOrderMark } from '#server/transfer/csv';

export const saveFile = (blob: Blob, name: string) => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 0);
};

/** Spreadsheets need the byte order mark to read UTF-8. */
export const saveCsv = (csv: string, name: string) =>
  saveFile(new Blob([byteOrderMark, csv], { type: 'text/csv;charset=utf-8' }), name);
