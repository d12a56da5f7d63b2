import { useEffect, useLayoutEffect, useRef } from 'react';

const nearPx = 160;

/** Keeps the end in view while an answer streams, unless the person has scrolled up. */
export const useAnswerScroll = (end: React.RefObject<HTMLElement | null>, messages: readonly unknown[]) => {
  const isFollowing = useRef(true);
  useEffect(() => {
    const sheet = document.getElementById('page');
    if (!sheet) return;
    const updateFollowing = () => {
      isFollowing.current = sheet.scrollHeight - sheet.scrollTop - sheet.clientHeight < nearPx;
    };
    // Cards and charts render after the text.
    const resizes = new ResizeObserver(() => {
      if (isFollowing.current) sheet.scrollTop = sheet.scrollHeight;
    });
    // A click expands something that the person wants to read.
    const stopFollowing = () => {
      isFollowing.current = false;
    };
    const log = end.current?.parentElement;
    if (log) resizes.observe(log);
    log?.addEventListener('click', stopFollowing);
    sheet.addEventListener('scroll', updateFollowing, { passive: true });
    return () => {
      resizes.disconnect();
      log?.removeEventListener('click', stopFollowing);
      sheet.removeEventListener('scroll', updateFollowing);
    };
  }, [end]);
  const count = messages.length;
  // Scroll to every new question.
  useLayoutEffect(() => {
    const sheet = document.getElementById('page');
    isFollowing.current = true;
    if (sheet && count > 0) sheet.scrollTop = sheet.scrollHeight;
  }, [count]);
};
