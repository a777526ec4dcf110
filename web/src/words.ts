// The words of the page that plays, in English and Vietnamese. {0}, {1} stand for what is put in.
import type { Language } from "./boards/board";

const en = {
  play: "Play", analyse: "Analyse", person: "person", bot: "bot", level: "level", adapt: "Change the level after three wins or losses", announce: "Tell me my mistakes at once", levelNow: "The level is now {0}.", weakest: "beginner", strongest: "full strength", rated: "{0} simulations a move. Elo of the bot at this level; random play has 0.",
  told_inaccuracy: "That was inaccurate (?!). Better: {0}. Undo takes it back.", told_mistake: "That was a mistake (?). Better: {0}. Undo takes it back.", told_blunder: "That was a blunder (??). Better: {0}. Undo takes it back.", newGame: "New game", dealt: "Random start",
  undo: "Undo", redo: "Redo", hint: "Hint", first: "first position", back: "back", forward: "forward", last: "last position",
  toMove: "{0} to move", yourMove: "{0} to move: your turn", thinking: "{0} to move: the bot is thinking", wins: "{0} wins", draw: "A draw", score: "{0} to {1}",
  value: "Chance to win", simulations: "{0} visits", speed: "{0} simulations/s in this browser ({1})", speedServer: "{0} simulations/s on the server",
  stop: "Stop", start: "Start", moves: "Game", noMoves: "No move has been played.", review: "Review the game", reviewing: "Reviewing {0} of {1}",
  accuracy: "{0} % accurate", inaccuracy: "{0} inaccuracies", mistake: "{0} mistakes", blunder: "{0} blunders", best: "best: {0}", setup: "Set up a position, load a game", text: "A position or a saved game, as text",
  use: "Use it", load: "Load a file", save: "Save", share: "Copy link", copied: "The link is copied.", linkHere: "The address of this page is the link.", rules: "Rules", keys: "Keys",
  model: "bot", line: "A line of the search: {0}", illegal: "Not a legal position: {0}",
  values: "Value of each position, {0} above, {1} below", game: "game",
  keysText: "← and → go through the game, V goes to the next variation, U takes back, H gives a hint, N begins a new game. On a board Tab goes from one choice to the next, arrow keys to the next cell, Enter chooses. In Patchwork 1, 2 and 3 take a patch, arrow keys move it, R turns and F flips it, Enter drops it, Escape lets it go, and A advances.",
  variation: "Variation", promote: "Make it the main line", remove: "Remove the variation", principal: "Best line",
  provenWin: "wins", provenLoss: "loses", provenDraw: "draws",
  learn: "Learn from your games", due: "To practise now: {0}", noneDue: "Nothing to practise now. Positions that come again later: {0}.",
  noCards: "Play a game and review it: your mistakes come back here, until you know better.", findBetter: "Find a better move.", judging: "Looking at your move …",
  right: "Right: that is the best move.", alsoGood: "That is as good.", wrong: "Not this one. Try again.", shown: "This was the move.", playedThen: "You played: {0}",
  next: "Next", show: "Show me", dropCard: "Do not ask again", myGames: "Your games", noGames: "Games that you play to the end are kept in this browser.", delete: "Delete",
  result: "{0} moves, {1}", won: "won", lost: "lost", loadPuzzles: "Load puzzles", taken: "New puzzles: {0}.", learnt: "Mistakes to learn from: {0}. See Learn.",
  analysisOf: "What the search thinks", noSearch: "The game is over.", paused: "The bot waits: you are looking at an earlier position.",
};

const vi: typeof en = {
  play: "Chơi", analyse: "Phân tích", person: "người", bot: "máy", level: "trình độ", adapt: "Đổi trình độ sau ba ván thắng hoặc thua liền", announce: "Báo ngay khi tôi đi sai", levelNow: "Trình độ bây giờ là {0}.", weakest: "mới chơi", strongest: "hết sức", rated: "{0} mô phỏng mỗi nước. Elo của máy ở trình độ này; đi ngẫu nhiên là 0.",
  told_inaccuracy: "Nước vừa rồi chưa chính xác (?!). Tốt hơn: {0}. Bấm Đi lại để rút nước.", told_mistake: "Nước vừa rồi là sai lầm (?). Tốt hơn: {0}. Bấm Đi lại để rút nước.", told_blunder: "Nước vừa rồi là sai lầm nghiêm trọng (??). Tốt hơn: {0}. Bấm Đi lại để rút nước.", newGame: "Ván mới", dealt: "Thế ngẫu nhiên",
  undo: "Đi lại", redo: "Đi tiếp", hint: "Gợi ý", first: "về đầu ván", back: "lùi một nước", forward: "tiến một nước", last: "đến cuối ván",
  toMove: "Đến lượt {0}", yourMove: "Đến lượt {0}: mời bạn đi", thinking: "Đến lượt {0}: máy đang nghĩ", wins: "{0} thắng", draw: "Hoà", score: "{0} – {1}",
  value: "Cơ hội thắng", simulations: "{0} lượt duyệt", speed: "{0} mô phỏng/giây trên trình duyệt này ({1})", speedServer: "{0} mô phỏng/giây trên máy chủ",
  stop: "Dừng", start: "Bắt đầu", moves: "Ván chơi", noMoves: "Chưa có nước đi nào.", review: "Xem lại ván", reviewing: "Đang xem lại {0} / {1}",
  accuracy: "chính xác {0} %", inaccuracy: "{0} nước chưa chính xác", mistake: "{0} sai lầm", blunder: "{0} sai lầm nghiêm trọng", best: "nước tốt nhất: {0}", setup: "Xếp thế, mở ván đã lưu", text: "Một thế hoặc một ván đã lưu, dạng chữ",
  use: "Dùng", load: "Mở tệp", save: "Lưu", share: "Sao chép liên kết", copied: "Đã sao chép liên kết.", linkHere: "Liên kết chính là địa chỉ của trang này.", rules: "Luật chơi", keys: "Phím tắt",
  model: "máy", line: "Biến của máy: {0}", illegal: "Không hợp lệ: {0}",
  values: "Đánh giá sau từng nước, {0} ở trên, {1} ở dưới", game: "trò chơi",
  keysText: "← và → xem từng nước, V sang biến kế tiếp, U đi lại, H gợi ý, N ván mới. Trên bàn, phím Tab chuyển giữa các lựa chọn, Enter để chọn, Esc để bỏ chọn.",
  variation: "Biến", promote: "Đưa lên biến chính", remove: "Xoá biến", principal: "Biến tốt nhất",
  provenWin: "thắng", provenLoss: "thua", provenDraw: "hoà",
  learn: "Học từ ván của bạn", due: "{0} thế cần luyện bây giờ", noneDue: "Bây giờ không có gì để luyện. {0} thế sẽ trở lại sau.",
  noCards: "Hãy chơi một ván rồi xem lại: những sai lầm của bạn sẽ trở lại đây cho đến khi bạn nhớ.", findBetter: "Hãy tìm nước tốt hơn.", judging: "Đang xem nước của bạn …",
  right: "Đúng: đó là nước tốt nhất.", alsoGood: "Nước này cũng tốt như vậy.", wrong: "Không phải nước này. Hãy thử lại.", shown: "Nước đúng là đây.", playedThen: "Bạn đã đi: {0}",
  next: "Tiếp", show: "Cho xem", dropCard: "Đừng hỏi nữa", myGames: "Các ván của bạn", noGames: "Những ván bạn chơi đến cuối được giữ trong trình duyệt này.", delete: "Xoá",
  result: "{0} nước, {1}", won: "thắng", lost: "thua", loadPuzzles: "Mở tệp bài tập", taken: "Thêm {0} bài tập mới.", learnt: "{0} sai lầm để học: xem trang Learn.",
  analysisOf: "Máy đánh giá các nước", noSearch: "Ván đã kết thúc.", paused: "Máy đang chờ: bạn đang xem một nước trước đó.",
};

export type Key = keyof typeof en;

/** t(language)("wins", "Blue") is "Blue wins". */
export function t(language: Language): (key: Key, ...args: (string | number)[]) => string {
  const all = language === "vi" ? vi : en;
  return (key, ...args) => all[key].replace(/\{(\d)\}/g, (_, n) => String(args[Number(n)]));
}

export type Words = ReturnType<typeof t>;

export const say = (text: string, ...args: (string | number)[]) => text.replace(/\{(\d)\}/g, (_, n) => String(args[Number(n)]));
export const many = (n: number, one: string, more: string, ...args: (string | number)[]) => say(n === 1 ? one : more, n, ...args);
