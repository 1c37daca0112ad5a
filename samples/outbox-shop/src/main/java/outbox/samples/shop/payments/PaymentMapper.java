package outbox.samples.shop.payments;

import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Select;

@Mapper
interface PaymentMapper {
    @Select("SELECT COUNT(*) FROM shop_payment WHERE order_id = #{orderId}")
    int countOf(@Param("orderId") String orderId);

    @Insert("INSERT INTO shop_payment (order_id, cents, taken) VALUES (#{orderId}, #{cents}, #{taken})")
    void insert(@Param("orderId") String orderId, @Param("cents") long cents, @Param("taken") boolean taken);
}
