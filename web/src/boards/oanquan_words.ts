// The names of Ô ăn quan, and its rules.
import { say } from "../words";

/** The names of the players, by their seats. Where the board stands upright, the row above is on the right. */
export const sidesOf = (upright: boolean) => (upright ? [say("Right"), say("Left")] : [say("Above"), say("Below")]);

/** The name of a field, such as king 6. */
export const nameOf = (f: number) => (f % 6 === 0 ? say("king {0}", f) : say("field {0}", f));

/** An action in words. */
export const sowing = (f: number | string, clockwise: boolean) => (clockwise ? say("sow {0} ↻ clockwise", f) : say("sow {0} ↺ anticlockwise", f));

// The rules of Ô ăn quan in Vietnamese, as Markdown.
export const rulesVi = `# Ô ăn quan

## Bàn cờ

Bàn cờ có mười hai ô: hai ô quan ở hai đầu (ô 0 và ô 6) và mỗi bên năm ô dân. Lúc đầu mỗi ô quan có một quan, tính là mười
quân, và mỗi ô dân có năm quân. Người bên dưới đi trước.

## Một lượt đi

Chọn một ô dân còn quân ở bên mình và chọn hướng rải.

1. Rải: bốc hết quân trong ô, rải lần lượt mỗi ô một quân, kể cả ô quan.
2. Nhìn ô ngay sau quân cuối cùng:
   - Ô dân có quân: bốc hết và rải tiếp theo cùng hướng.
   - Ô quan có quân: mất lượt.
   - Ô trống và ô kế tiếp cũng trống: mất lượt.
   - Ô trống và ô kế tiếp có quân: ăn hết số quân trong ô đó, kể cả ô quan. Nếu sau đó lại là một ô trống rồi một ô có
     quân thì được ăn tiếp. Ăn xong thì hết lượt.
3. Khi cả năm ô dân của người sắp đi đều trống, người đó lấy quân đã ăn được để rải lại mỗi ô một quân.

## Kết thúc

Ván chơi kết thúc khi cả hai ô quan đều trống (hết quan, tàn dân, thu quân, kéo về), hoặc khi một bên hết quân trên bàn mà không
đủ năm quân để rải lại. Mỗi người tính số quân đã ăn được cộng với số quân còn ở bên mình; quân còn trong ô quan không thuộc về
ai. Ai nhiều hơn thì thắng, bằng nhau thì hoà. Sau 200 lượt thì ván chơi cũng kết thúc.

## Biến thể

Tên của trò chơi cho biết luật đang chơi. Với oanquan-traditional: quan non (ô còn quan mà có dưới năm quân nhỏ) chưa được ăn,
ai không đủ quân để rải lại thì được vay, và chỉ xét người sắp đi có còn quân hay không.
`;
