import { countGraphemes } from '#server/networks/counting';
import { foldText } from '#server/networks/fold';
import { count, formatNumber } from '#web/parts/number.ts';
import { commentsOf, firstOf, isPhotoOfProfile, isStory, type PreviewPost, type Renderer } from './model.ts';

/** The line below a preview: where the network cuts, and what that does to this text. */
export const captionOf = (post: PreviewPost, { more, notes }: Pick<Renderer, 'more' | 'notes'>): string =>
  [
    // Where Google folds the description of a photo is unknown.
    !isPhotoOfProfile(post) && foldSentence(post, more),
    post.limits.thread.form === 'Comments' && post.items.length > 1 && commentSentence(post),
    ...(notes?.(post) ?? []),
  ]
    .filter(Boolean)
    .join(' ');

const foldSentence = (post: PreviewPost, more: string): string => {
  if (isStory(post)) return 'A story shows no text.';
  const { characters, thread } = post.limits;
  const { fold, max } = characters;
  if (fold === undefined) return `Shown whole, up to ${formatNumber(max)}.`;
  const about = fold.isObserved ? 'about ' : '';
  if (fold.unit === 'Lines') {
    return `Folds after ${about}${fold.at} lines. How much that is depends on the screen.`;
  }
  const texts = thread.form === 'Replies' ? post.items.map(({ body }) => body) : [firstOf(post).body];
  const hidden = texts.reduce((sum, text) => sum + countGraphemes(foldText(characters, text).rest), 0);
  const rule = `Folds after ${about}${formatNumber(fold.at)}.`;
  if (hidden === 0) return texts.every((text) => text.trim() === '') ? rule : `${rule} This text is shown whole.`;
  const verb = hidden === 1 ? 'waits' : 'wait';
  return `${rule} ${fold.isObserved ? 'About ' : ''}${count(hidden, 'character')} ${verb} behind “${more}”.`;
};

const commentSentence = (post: PreviewPost) => {
  const comments = commentsOf(post).length;
  return comments === 1 ? 'Item 2 becomes the first comment.' : `${comments} comments follow.`;
};
