export const sql = `
-- What a video is made of; null where the file does not say, and for those that were uploaded before.
alter table media add column video_codec text, add column audio_codec text, add column frame_rate real;
`;
