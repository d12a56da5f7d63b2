import { useEffect, useLayoutEffect, useRef } from 'react';

const nearPx = 160;

/** Keeps the end in view while an answer streams, unless the person has scrolled up. */
export const useAnswerScroll = (end: React.RefObject<HTMLElement | null>, messages: readonly unknown[]) => {
  const stays = useRef(true);
  useEffect(() => {
    const sheet = document.getElementById('page');
    if (!sheet) return;
    const look = () => {
      stays.current = sheet.scrollHeight - sheet.scrollTop - sheet.clientHeight < nearPx;
    };
    // Cards and charts render after the text.
    const grown = new ResizeObserver(() => {
      if (stays.current) sheet.scrollTop = sheet.scrollHeight;
    });
    // A click expands something that the person wants to read.
    const read = () => {
      stays.current = false;
    };
    const log = end.current?.parentElement;
    if (log) grown.observe(log);
    log?.addEventListener('click', read);
    sheet.addEventListener('scroll', look, { passive: true });
    return () => {
      grown.disconnect();
      log?.removeEventListener('click', read);
      sheet.removeEventListener('scroll', look);
    };
  }, [end]);
  const count = messages.length;
  // Scroll to every new question.
  useLayoutEffect(() => {
    const sheet = document.getElementById('page');
    stays.current = true;
    if (sheet && count > 0) sheet.scrollTop = sheet.scrollHeight;
  }, [count]);
};
