import { byteOrderMark } from '#server/planning/transfer/csv';

export const saveFile = (blob: Blob, name: string) => {
  const url = URL.createObjectURL(blob);
  saveFrom(url, name);
  setTimeout(() => URL.revokeObjectURL(url), 0);
};

/** Without a name, the file has the one that the server gives it. */
export const saveFrom = (url: string, name = '') => {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
};

/** Spreadsheets need the byte order mark to read UTF-8. */
export const saveCsv = (csv: string, name: string) =>
  saveFile(new Blob([byteOrderMark, csv], { type: 'text/csv;charset=utf-8' }), name);
