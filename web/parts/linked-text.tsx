/** A sentence from the server, with its URLs as links. */
export const LinkedText = ({ text }: { text: string }) =>
  text.split(/(https:\/\/[^\s)]+)/).map((piece, index) =>
    index % 2 === 1 ? (
      <a key={piece} className="in-text" href={piece} target="_blank" rel="noreferrer">
        {new URL(piece).host}
      </a>
    ) : (
      piece
    ),
  );
