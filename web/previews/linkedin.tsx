import { Ellipsis, Globe, MessageSquareText, Plus, Repeat2, Send, ThumbsUp, Users } from 'lucide-react';
import { count } from '#web/parts/number.ts';
import { FoldedText } from './folded-text.tsx';
import { MediaGrid, Picture } from './media.tsx';
import { firstOf, hostOf, isOn, labelOf, optionOf, type PreviewPost, type Renderer } from './model.ts';
import { Actions, Attachments, Comments, Head, LinkBox } from './parts.tsx';
import styles from './renderers.module.css';

const more = '…see more';

/** Profiles and pages differ in the avatar, in the corner and in who can see a post. */
export const LinkedInPost = ({ post, time, isPage }: { post: PreviewPost; time: string; isPage: boolean }) => {
  const { body, media } = firstOf(post);
  const isForConnections = optionOf(post, 'visibility') === 'CONNECTIONS';
  const Audience = isForConnections ? Users : Globe;
  const question = optionOf(post, 'poll_question');
  const uri = optionOf(post, 'link_url');
  const isBook = isOn(post, 'as_document');
  const document = media.find(({ kind }) => kind === 'Document' || (isBook && kind === 'Image'));
  return (
    <>
      <Head
        post={post}
        size={44}
        isSquare={isPage}
        below={
          <>
            {time} · <Audience size={12} aria-hidden="true" />
            <span className="hidden">{labelOf(post, 'visibility') ?? 'Everyone'}</span>
          </>
        }
      >
        {isPage ? (
          <span className={styles.follow} aria-hidden="true">
            <Plus size={14} /> Follow
          </span>
        ) : (
          <Ellipsis size={16} aria-hidden="true" />
        )}
      </Head>
      <div className={styles.inside}>
        <FoldedText post={post} text={body} more={more} />
        {question && (
          <p className={styles.title} dir="auto">
            {question}
          </p>
        )}
        <Attachments post={post} />
      </div>
      {document ? (
        <figure className={styles.document}>
          <Picture file={document} />
          <figcaption className="one-line" dir="auto">
            {optionOf(post, 'document_title') || body.trim().split('\n')[0] || 'Document'}
            {isBook && ` · ${count(media.length, 'page')}`}
          </figcaption>
        </figure>
      ) : (
        <MediaGrid media={media} most={5} />
      )}
      {uri && media.length === 0 && (
        <LinkBox
          isFlat
          card={{
            uri,
            title: optionOf(post, 'link_title') || hostOf(uri),
            description: '',
            pictureUrl: post.optionFile,
          }}
        />
      )}
      <Actions icons={[ThumbsUp, MessageSquareText, Repeat2, Send]} words={['Like', 'Comment', 'Repost', 'Send']} />
      <Comments post={post} note="Author" />
    </>
  );
};

export const linkedin: Renderer = {
  more,
  View: (props) => <LinkedInPost {...props} isPage={false} />,
};
