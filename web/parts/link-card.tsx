import type { LinkCard } from '#generated/app-client';
import styles from './link-card.module.css';

/** Stored cards whose link is in this text. */
export const linkCardsIn = (cards: readonly LinkCard[], network: string, text: string): LinkCard[] =>
  cards.filter((card) => card.network === network && text.includes(card.uri.replace('https://', '')));

export const LinkCardView = ({ card: { uri, title, description, pictureUrl } }: { card: LinkCard }) => (
  <figure className={styles.card} aria-label="Link card">
    {pictureUrl && <img className={styles.picture} src={pictureUrl} alt="" loading="lazy" />}
    <b dir="auto">{title}</b>
    {description !== '' && <p dir="auto">{description}</p>}
    <span className="small text-2">{uri}</span>
  </figure>
);
